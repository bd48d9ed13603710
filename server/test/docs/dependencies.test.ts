import { describe, expect, it } from 'vitest'

import { listFiles, readTable, readText } from './repository.ts'

interface PackageFile {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

describe('docs/dependencies.md', () => {
  it.each(listFiles('package.json'))('has one line for each dependency of %s', async (path) => {
    const { dependencies, devDependencies, optionalDependencies }: PackageFile = JSON.parse(await readText(path))
    const named = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    const lines = (await readText('docs/dependencies.md')).split('\n')
    const heading = lines.find((line) => line.startsWith('## ') && line.endsWith(`(\`${path}\`)`))
    expect(heading, `a section for ${path}`).toBeDefined()
    const listed = readTable(lines.join('\n'), heading ?? '').map(([name = '']) => name.replaceAll('`', ''))
    expect(listed.toSorted()).toEqual(named.toSorted())
  })
})
