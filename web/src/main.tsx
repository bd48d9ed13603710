import { FIRST_VIEW_ATTRIBUTE } from '@juicebar/contract/first-view'
import { startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

import { loadFirstPage } from './api/first-page.ts'
import { isCheckout, Page } from './app.tsx'
import { adoptFirstView } from './first-view/first-view.ts'
import './styles/app.css'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no root element')
void start(root)

async function start(element: HTMLElement): Promise<void> {
  if (element.hasAttribute(FIRST_VIEW_ATTRIBUTE) && (await adoptFirstView())) {
    // In a transition, so that it leaves the browser free to scroll and to press in between.
    startTransition(() => void hydrateRoot(element, <Page />))
  } else {
    if (!isCheckout()) void loadFirstPage()
    createRoot(element).render(<Page />)
  }
}
