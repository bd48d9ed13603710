/** Runs React as a script of its own, ahead of the app: as one task, they would keep people waiting. */
import 'react'
import 'react-dom/client'
