import { type ComponentProps } from 'react'

interface ButtonProps extends ComponentProps<'button'> {
  kind?: 'primary' | 'quiet' | 'bare'
  small?: boolean
}

/** A button. It submits a form only with `type="submit"`. */
export function Button({ kind = 'quiet', small = false, className = '', ...rest }: ButtonProps) {
  return <button type="button" className={`button button-${kind} ${small ? 'button-small' : ''} ${className}`} {...rest} />
}
