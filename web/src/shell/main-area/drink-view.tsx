import { balanceKey } from '@juicebar/contract/catalogue'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

import { balancesQuery } from '../../api/queries.ts'
import { DrinkPage } from '../../features/drink/drink-page.tsx'
import { type Drink, findDrink } from '../../figures/figure-queries.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount } from '../../ui/format.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { useRetained } from '../../ui/use-retained.ts'
import { connectChosen } from '../../wallet/connect.ts'
import { CrashScreen, PartOnTop } from '../../feedback/crash-screen.tsx'
import { VIEW_ID } from '../use-view.ts'

const SellDialog = lazyComponent(async () => (await import('../../features/inventory/sell-dialog.tsx')).SellDialog)

interface DrinkViewProps {
  /** The end of the page's address. */
  code: string
  walletAddress: string | undefined
  /** Nothing can be bought or sold now. */
  paused: boolean
  bestPrice: (tokenType: Drink['type']) => ReactNode
}

/** The page of a drink, with the ways to buy and to sell it. */
export function DrinkView({ code, walletAddress, paused, bestPrice }: DrinkViewProps) {
  useFocusOnView()
  const drink = findDrink(code)
  const actions = drink && (
    <>{walletAddress === undefined ? <VisitorSell /> : <Sell drink={drink} walletAddress={walletAddress} paused={paused} />}</>
  )
  const place = drink && <CrashScreen>{bestPrice(drink.type)}</CrashScreen>
  return <DrinkPage drink={drink} actions={actions} bestPrice={place} />
}

function VisitorSell() {
  return <Button onClick={connectChosen}>Sell</Button>
}

function Sell({ drink, walletAddress, paused }: { drink: Drink; walletAddress: string; paused: boolean }) {
  const [selling, setSelling] = useState<{ balance: number }>()
  // Each opening is a new dialog, with empty fields.
  const [round, setRound] = useState(0)
  const dialog = useRetained(selling)
  const close = () => setSelling(undefined)
  const { data } = useQuery(balancesQuery(walletAddress))
  const balance = data?.[balanceKey(drink.type)]
  return (
    <>
      <Button
        disabled={paused || !balance}
        onClick={() => {
          setSelling({ balance: balance ?? 0 })
          setRound(round + 1)
        }}
      >
        Sell
      </Button>
      <p className="figures text-tiny text-dim">
        {balance !== undefined && (balance > 0 ? `You have ${formatAmount(balance)}.` : 'You have none.')}
      </p>
      <PartOnTop wanted={selling} onMissing={close}>
        {dialog && (
          <SellDialog
            key={round}
            tokenType={drink.type}
            walletAddress={walletAddress}
            balance={dialog.balance}
            open={selling !== undefined}
            onClose={close}
          />
        )}
      </PartOnTop>
    </>
  )
}

/** After moving from or back to another page of the market, the focus moves to the view, because the followed link is gone. */
function useFocusOnView(): void {
  useEffect(() => {
    const focus = () => {
      if (document.activeElement === document.body) document.getElementById(VIEW_ID)?.focus({ preventScroll: true })
    }
    if (history.state) focus()
    return () => {
      requestAnimationFrame(focus)
    }
  }, [])
}
