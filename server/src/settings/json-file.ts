import { readFile } from 'node:fs/promises'
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { ConfigError } from './setting-reader.ts'

/** Far more than any settings need; a larger file is the wrong one. */
const MAX_FILE_BYTES = 1_000_000

/** The pattern of a text on one line: no line breaks, no control characters, no spaces around it. */
export const ONE_LINE = '^(?! )[^\\p{C}\\p{Zl}\\p{Zp}]+(?<! )$'

type Path = readonly (string | number)[]
type ValidationError = ReturnType<typeof Value.Errors>[number]

/** The content of a JSON file that fits its schema. */
export interface JsonFile<Content> {
  content: Content
  /** Where a field is, to begin a sentence about it: its file and its line. */
  place: (...field: Path) => string
}

/**
 * Reads a JSON file of settings. A field that its schema does not know is refused; what a value must be is said in the words of its
 * schema's `description`.
 *
 * @throws ConfigError with a sentence for each problem, which names file, line and field
 */
export async function readJsonFile<Schema extends TSchema>(path: string, schema: Schema): Promise<JsonFile<Static<Schema>>> {
  const text = await readText(path)
  const root = parseText(path, text)
  const placeAt = (offset: number) => `${path}, line ${lineAt(text, offset)}:`
  const place = (...field: Path) => placeAt(offsetOf(root, field))
  const twice = repeatedFields(root).map(({ field, offset }) => `${placeAt(offset)} ${nameOf(field)} appears twice.`)
  // If two fields have the same name, the last one counts, which may not be the intended one.
  if (twice.length > 0) throw new ConfigError(twice)

  const content: unknown = JSON.parse(text)
  if (!Value.Check(schema, content)) throw new ConfigError(problemsOf(schema, content, place))
  return { content, place }
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([error.code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read (${error.code}).`])
  })
  if (bytes.length > MAX_FILE_BYTES) throw new ConfigError([`${path} has ${bytes.length} bytes. It may have ${MAX_FILE_BYTES}.`])
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ConfigError([`${path} is not in UTF-8.`])
  }
}

function parseText(path: string, text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  const [error] = errors
  if (error) throw new ConfigError([`${path}, line ${lineAt(text, error.offset)}: this is not JSON (${printParseErrorCode(error.error)}).`])
  if (!root) throw new ConfigError([`${path} is empty.`])
  return root
}

function problemsOf(schema: TSchema, content: unknown, place: JsonFile<unknown>['place']): string[] {
  const told = new Set<string>()
  return Value.Errors(schema, content).flatMap((error) => {
    // An unknown field has an error of its own beside the one of the object that it is in, and a field with two faults needs one sentence.
    if (error.keyword === 'additionalProperties' || told.has(error.instancePath)) return []
    told.add(error.instancePath)
    const field = fieldAt(content, error.instancePath)
    return [`${place(...field)} ${nameOf(field)} ${complaint(schema, error, valueAt(content, field))}`]
  })
}

function complaint(schema: TSchema, { keyword, schemaPath, params, message }: ValidationError, value: unknown): string {
  const pointer = partsOf(schemaPath)
  // What a field must be is a schema of its own; that of an unknown one is `false`, below the object that it is in.
  if (keyword === 'boolean')
    return `is not known here. There is ${quoteAll(Object.keys(recordAt(schema, [...pointer.slice(0, -1), 'properties'])))}.`
  if (keyword === 'required' && 'requiredProperties' in params) return `lacks ${quoteAll(params.requiredProperties)}.`
  const { description } = recordAt(schema, pointer)
  return typeof description === 'string' ? `is ${shorten(value)}. It must be ${description}.` : `${message}.`
}

const list = new Intl.ListFormat('en-GB')

function quoteAll(names: readonly string[]): string {
  return list.format(names.map((name) => `"${name}"`))
}

const MAX_SHOWN = 60

function shorten(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}

/** `colors.light.page`, or `[3].name` in a list. */
function nameOf(field: Path): string {
  const name = field.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  return name === '' ? 'the file' : `"${name.replace(/^\./, '')}"`
}

/** Where a field is in the text, or what it would be in. */
function offsetOf(root: Node, field: Path): number {
  const node = findNodeAtLocation(root, [...field])
  if (!node) return offsetOf(root, field.slice(0, -1))
  return node.parent?.type === 'property' ? node.parent.offset : node.offset
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

interface Field {
  field: Path
  offset: number
}

/** Those that are in their object a second time. */
function repeatedFields({ type, children = [] }: Node, path: Path = []): Field[] {
  if (type === 'array') return children.flatMap((child, index) => repeatedFields(child, [...path, index]))
  const seen = new Set<string>()
  return children.flatMap(({ offset, children: [key, value] = [] }) => {
    const name = String(key?.value)
    const field = [...path, name]
    const own = seen.has(name) ? [{ field, offset }] : []
    seen.add(name)
    return value ? [...own, ...repeatedFields(value, field)] : own
  })
}

/** The parts of a JSON pointer. */
function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The same with numbers where the content has lists. */
function fieldAt(content: unknown, pointer: string): Path {
  let inner = content
  return partsOf(pointer).map((part) => {
    const isList = Array.isArray(inner)
    inner = valueAt(inner, [part])
    return isList ? Number(part) : part
  })
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, part) => (isRecord(inner) ? inner[String(part)] : undefined), value)
}

function recordAt(value: unknown, path: Path): Record<string, unknown> {
  const found = valueAt(value, path)
  return isRecord(found) ? found : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
