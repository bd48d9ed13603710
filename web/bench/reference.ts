import { createElement, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

/** An element's name, attributes and children, or a text. */
export type Tree = string | [name: string, attributes: Record<string, string>, children: Tree[]]

/** React has no property for the text of `style`, and would listen to those that begin with `on`. */
const isLeftOut = (name: string) => name === 'style' || name.startsWith('on')

const reply = await fetch('/reference.json')
const tree = (await reply.json()) as Tree[]
const root = document.getElementById('root')
if (root) createRoot(root).render(tree.map(elementOf))

function elementOf(tree: Tree, key: number): ReactNode {
  if (typeof tree === 'string') return tree
  const [name, attributes, children] = tree
  const kept = Object.entries(attributes).filter(([attribute]) => !isLeftOut(attribute))
  return createElement(
    name,
    { key, ...Object.fromEntries(kept.map(([attribute, value]) => [attribute === 'class' ? 'className' : attribute, value])) },
    ...children.map(elementOf),
  )
}
