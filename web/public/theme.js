// Before the first paint, so that the chosen theme never flashes.
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch {
  // Storage is closed to this page: the system's theme stands.
}
