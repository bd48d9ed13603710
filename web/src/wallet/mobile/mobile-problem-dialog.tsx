import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { useStore } from '../../ui/store.ts'
import { useLast } from '../../ui/use-retained.ts'
import { mobileMessages } from './mobile-messages.ts'
import { mobileProblem } from './mobile-problem.ts'

/** Says why no wallet on this phone could be reached. */
export function MobileProblemDialog() {
  const problem = useStore(mobileProblem)
  const text = useLast(problem)
  const close = () => mobileProblem.set(undefined)
  return (
    <Modal open={problem !== undefined} title={mobileMessages.notFoundTitle} onClose={close}>
      <p className="mt-3 text-dim">{text}</p>
      <Button kind="primary" className="mt-6 w-full" onClick={close}>
        OK
      </Button>
    </Modal>
  )
}
