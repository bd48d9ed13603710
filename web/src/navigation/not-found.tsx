import { inMarketWords } from '../catalogue/catalogue.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { AppLink } from './app-link.tsx'
import { useTitle } from './path.ts'

/** Says that nothing is at the page's address, and leads back to the market. */
export function NotFound({ title, hint }: { title: string; hint: string }) {
  useTitle('Not found')
  return (
    <>
      <h2 className="sr-only">Not found</h2>
      <EmptyState title={inMarketWords(title)}>
        <p className="text-dim">{hint}</p>
        <AppLink href="/" className="button button-primary">
          Go to the market
        </AppLink>
      </EmptyState>
    </>
  )
}
