/** Shown in place of the first listings, at their size, so that nothing moves when they arrive. */
export function MarketSkeleton() {
  return (
    <div role="status" className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15.25rem),1fr))] gap-3 sm:gap-5">
      <span className="sr-only">Loading the market</span>
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} className="card breathe h-40 sm:h-90" />
      ))}
    </div>
  )
}
