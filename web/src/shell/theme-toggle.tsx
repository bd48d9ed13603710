import { useEffect, useState } from 'react'

import { MoonIcon, SunIcon } from '../ui/icons.tsx'

type Theme = 'dark' | 'light'

const DAYLIGHT = '(prefers-color-scheme: light)'

/** Switches between the evening and the daylight theme. `public/theme.js` reads the choice at the next visit. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(currentTheme)
  useEffect(() => {
    const daylight = matchMedia(DAYLIGHT)
    const follow = () => setTheme(currentTheme())
    daylight.addEventListener('change', follow)
    return () => daylight.removeEventListener('change', follow)
  }, [])
  const other = theme === 'dark' ? 'light' : 'dark'
  const change = () => {
    localStorage.setItem('theme', other)
    document.documentElement.dataset['theme'] = other
    setTheme(other)
  }
  return (
    <button type="button" className="button button-bare button-small" onClick={change}>
      {theme === 'dark' ? <SunIcon /> : <MoonIcon />}
      {theme === 'dark' ? 'Daylight' : 'Evening'}
    </button>
  )
}

function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme']
  if (chosen === 'dark' || chosen === 'light') return chosen
  return matchMedia(DAYLIGHT).matches ? 'light' : 'dark'
}
