import { FIRST_VIEW_ATTRIBUTE } from '@juicebar/contract/first-view'
import { startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

import { readJwt } from './api/client.ts'
import { loadFirstPage } from './api/queries.ts'
import { isCheckout, Page } from './app.tsx'
import { adoptFirstView } from './first-view/first-view.ts'
import { noteDormantParts } from './ui/early-events.ts'
import './styles/app.css'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no root element')
void start(root)

async function start(element: HTMLElement): Promise<void> {
  // It is beside the root, where open dialogs would hide it from screen readers once more.
  document.querySelector('noscript')?.remove()
  const adopted = element.hasAttribute(FIRST_VIEW_ATTRIBUTE) && (await adoptFirstView().catch(() => false))
  // A task of its own: running all modules was one, and in between the browser may scroll and keep presses.
  if (adopted) await new Promise((resolve) => setTimeout(resolve))
  // What a checkout shows to a visitor is not what it shows to somebody who is signed in.
  if (adopted && !(isCheckout() && readJwt())) {
    noteDormantParts()
    // In a transition, so that it leaves the browser free to scroll and to press in between.
    startTransition(() => void hydrateRoot(element, <Page />))
  } else {
    element.removeAttribute(FIRST_VIEW_ATTRIBUTE)
    if (!isCheckout()) void loadFirstPage()
    createRoot(element).render(<Page />)
  }
}
