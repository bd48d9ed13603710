/** Kept apart from the other icons, which every visitor downloads. */
export function BellIcon() {
  return (
    <svg
      className="size-5 flex-none"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 21h4" />
    </svg>
  )
}
