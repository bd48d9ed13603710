import { type TokenType } from '@juicebar/contract/catalogue'
import { lazy, useRef, useState } from 'react'

import { catalogue } from '../../catalogue/catalogue.ts'
import { PartOnTop } from '../../feedback/crash-screen.tsx'
import { Button } from '../../ui/button.tsx'
import { ChevronIcon, CloseIcon } from '../../ui/icons.tsx'

// Not preloaded in idle time: most markets have few items and never show it.
const ItemPicker = lazy(async () => ({ default: (await import('./item-picker.tsx')).ItemPicker }))

interface ItemFilterProps {
  chosen: TokenType | undefined
  onChoose: (type: TokenType | undefined) => void
}

/** Chooses one of many items, or all of them. */
export function ItemFilter({ chosen, onChoose }: ItemFilterProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const face = chosen ? catalogue().nameOf(chosen) : 'All items'
  const show = () => {
    setWasOpened(true)
    setOpen(true)
  }
  const close = () => setOpen(false)
  const clear = () => {
    onChoose(undefined)
    // The button that had the focus is gone.
    button.current?.focus()
  }
  return (
    <div className="flex gap-2 lg:col-start-3">
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-label={`Item: ${face}`}
        data-token={chosen}
        className="field flex cursor-pointer items-center gap-2.5 text-left lg:w-64"
        onClick={show}
      >
        {chosen && <span className="dot" />}
        <span className="min-w-0 flex-1 truncate">{face}</span>
        <ChevronIcon />
      </button>
      {chosen && (
        <Button aria-label="All items" title="All items" className="min-h-11.5 px-3" onClick={clear}>
          <CloseIcon />
        </Button>
      )}
      <PartOnTop wanted={open || undefined} onMissing={close}>
        {wasOpened && <ItemPicker open={open} chosen={chosen} onChoose={onChoose} onClose={close} />}
      </PartOnTop>
    </div>
  )
}
