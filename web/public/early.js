// Runs before the page is painted, and long before the web app.
try {
  // Somebody who was signed in is not shown for a moment what only visitors see.
  if (localStorage.getItem('jwt_token') !== null) document.documentElement.dataset.session = 'restored'
} catch {
  // Without access to storage, nobody can be signed in.
}

// What people do with a part of the page that is not alive yet is kept for the web app, which does it once it is. Links work at once.
/** @type {{ at: number, type: string, target: Element, name: string, value: string }[]} */
const earlyEvents = []
Object.assign(window, { earlyEvents })
for (const type of ['click', 'input', 'change', 'toggle']) {
  /** @param {Event} event */
  const keep = (event) => {
    const touched = event.target instanceof Element ? event.target : null
    const target = type === 'click' ? touched?.closest('a, button') : touched
    if (!target?.closest('[data-first-view], [data-dormant]') || target.matches('a')) return
    event.stopPropagation()
    if (type === 'click') event.preventDefault()
    // React gives a field the value of the first view when it takes over.
    const value = target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? target.value : ''
    earlyEvents.push({ at: performance.now(), type, target, name: target.ariaLabel ?? target.textContent ?? '', value })
  }
  addEventListener(type, keep, { capture: true })
}

// Back to a page whose HTML this is not.
const opened = location.pathname + location.search
addEventListener('popstate', (event) => {
  const isOther = location.pathname + location.search !== opened
  if (!isOther || !document.querySelector('[data-first-view], [data-dormant]')) return
  // Otherwise the web app, or a part of it that is just coming alive, would find another page than it renders.
  event.stopImmediatePropagation()
  location.reload()
})

/** How long to wait before a script is asked for again, in milliseconds. */
const RETRY_MS = 2000

/**
 * Runs a script. If it could not be downloaded, the page is loaded again as soon as it can be: browsers may take a module that failed once
 * for failed as long as a page is open.
 * @param {string} script
 */
async function run(script) {
  try {
    await import(script)
  } catch (error) {
    if (!/dynamically imported module|importing a module/i.test(String(error))) throw error
    await untilThere(script)
    location.reload()
  }
}

/** @param {string} script */
async function untilThere(script) {
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  const reply = await fetch(script).catch(() => undefined)
  if (!reply?.ok) await untilThere(script)
}

async function runAll() {
  // A page that nobody sees is not painted.
  if (!document.hidden) await new Promise(requestAnimationFrame)
  /** @type {NodeListOf<HTMLLinkElement>} */
  const scripts = document.querySelectorAll('link[rel=modulepreload]')
  for (const { href } of scripts) {
    await new Promise((resolve) => setTimeout(resolve))
    await run(href)
  }
}

// The web app's scripts, once the page is painted, and each as a task of its own.
addEventListener('DOMContentLoaded', () => void runAll())
