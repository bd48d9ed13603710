/** The studio's message while nothing can be bought or listed. */
export function PauseBar({ message }: { message: string }) {
  return (
    <div className="flex items-center justify-center gap-2.5 border-b border-line bg-warn/15 px-4 py-2.5 text-small">
      <span className="size-2 flex-none rounded-full bg-warn forced-color-adjust-none" />
      <p role="status" className="wrap-anywhere">
        <b className="font-semibold">Buying and selling are paused.</b> {message}{' '}
        <span className="max-sm:sr-only">What you have paid for is delivered, and you can remove listings and refund.</span>
      </p>
    </div>
  )
}
