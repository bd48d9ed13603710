import { Combobox } from '@base-ui/react/combobox'
import { type CatalogueItem, MAX_ITEM_NAME, type TokenType } from '@juicebar/contract/catalogue'
import { useState } from 'react'

import { catalogue } from '../../catalogue/catalogue.ts'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { CheckIcon, SearchIcon } from '../../ui/icons.tsx'
import { Modal } from '../../ui/modal.tsx'

interface ItemPickerProps {
  open: boolean
  chosen: TokenType | undefined
  onChoose: (type: TokenType) => void
  onClose: () => void
}

/** All items with their pictures, and a search among them. The arrow keys move through the list while typing. */
export function ItemPicker({ open, onClose, ...list }: ItemPickerProps) {
  return (
    <Modal open={open} title="Choose an item" lightDismiss onClose={onClose}>
      <ItemList {...list} onClose={onClose} />
    </Modal>
  )
}

function ItemList({ chosen, onChoose, onClose }: Omit<ItemPickerProps, 'open'>) {
  const [search, setSearch] = useState('')
  const { items } = catalogue()
  const choose = (item: CatalogueItem | null) => {
    if (item) onChoose(item.code)
    onClose()
  }
  return (
    <Combobox.Root
      inline
      open
      autoHighlight
      items={items}
      itemToStringLabel={({ name }: CatalogueItem) => name}
      value={items.find(({ code }) => code === chosen) ?? null}
      onValueChange={choose}
      inputValue={search}
      onInputValueChange={setSearch}
    >
      <div className="relative mt-4">
        <span className="pointer-events-none absolute inset-y-0 left-3.5 grid place-items-center text-dim">
          <SearchIcon />
        </span>
        <Combobox.Input
          aria-label="Search the items"
          placeholder="Search..."
          maxLength={MAX_ITEM_NAME}
          spellCheck={false}
          className="field pl-11"
        />
      </div>
      <div className="mt-3 h-[min(30rem,55dvh)]">
        <Combobox.Empty className="px-3 py-6 text-small text-dim empty:hidden">No item matches your search.</Combobox.Empty>
        <Combobox.List aria-label="Items" className="-mx-2 grid max-h-full scroll-py-2 overflow-y-auto overscroll-contain outline-none">
          {(item: CatalogueItem) => (
            <Combobox.Item
              key={item.code}
              value={item}
              className="flex cursor-pointer items-center gap-3 rounded-field px-2 py-1.5 outline-none data-highlighted:bg-well"
            >
              <span aria-hidden="true" className="contents">
                <DrinkPlate tokenType={item.code} late className="size-11 flex-none rounded-tag" />
              </span>
              <span className="min-w-0 flex-1 font-semibold wrap-anywhere">{item.name}</span>
              <Combobox.ItemIndicator>
                <CheckIcon />
              </Combobox.ItemIndicator>
            </Combobox.Item>
          )}
        </Combobox.List>
      </div>
    </Combobox.Root>
  )
}
