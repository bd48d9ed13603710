import { type TestContext } from 'vitest'

import { findProgram } from '../../chaos/patroni/packages.ts'

/** The program of a Debian package. Without it, the test is skipped with a sentence. */
export async function requireProgram({ skip }: Pick<TestContext, 'skip'>, name: string, debianPackage = name): Promise<string> {
  const program = await findProgram(name)
  return program ?? skip(`Debian's package ${debianPackage} is not installed: apt-get install ${debianPackage}`)
}
