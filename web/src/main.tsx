import { FIRST_VIEW_ATTRIBUTE } from '@juicebar/contract/first-view'
import { startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

import { readJwt } from './api/client.ts'
import { loadFirstPage } from './api/queries.ts'
import { isCheckout, Page } from './app.tsx'
import { adoptFirstView } from './first-view/first-view.ts'
import './styles/app.css'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no root element')
void start(root)

async function start(element: HTMLElement): Promise<void> {
  // It is beside the root, where open dialogs would hide it from screen readers once more.
  document.querySelector('noscript')?.remove()
  const adopted = element.hasAttribute(FIRST_VIEW_ATTRIBUTE) && (await adoptFirstView())
  // What a checkout shows to a visitor is not what it shows to somebody who is signed in.
  if (adopted && !(isCheckout() && readJwt())) {
    // In a transition, so that it leaves the browser free to scroll and to press in between.
    startTransition(() => void hydrateRoot(element, <Page />))
  } else {
    element.removeAttribute(FIRST_VIEW_ATTRIBUTE)
    if (!isCheckout()) void loadFirstPage()
    createRoot(element).render(<Page />)
  }
}
