import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { loadFirstPage } from './api/first-page.ts'
import { App, isCheckout } from './app.tsx'
import { paintItems } from './catalogue/item-colors.ts'
import './styles/app.css'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no root element')

if (!isCheckout()) void loadFirstPage()
paintItems()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
