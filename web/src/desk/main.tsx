import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { Desk } from './desk.tsx'
import './desk.css'

const root = document.getElementById('root')
if (!root) throw new Error('studio.html has no root element')

createRoot(root).render(
  <StrictMode>
    <Desk />
  </StrictMode>,
)
