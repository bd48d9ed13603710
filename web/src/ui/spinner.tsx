/** A spinning ring, hidden from screen readers: the text beside it says what is under way. */
export function Spinner({ className = 'size-5' }: { className?: string }) {
  return (
    <svg
      className={`spin ${className}`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.5"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="12" cy="12" r="9" opacity="0.22" />
      <path d="M12 3a9 9 0 0 1 9 9" />
    </svg>
  )
}
