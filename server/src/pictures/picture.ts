import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SaxesParser, type SaxesTagNS } from 'saxes'

const SVG = 'http://www.w3.org/2000/svg'
const XLINK = 'http://www.w3.org/1999/xlink'
const XML = 'http://www.w3.org/XML/1998/namespace'

/** The allowed elements, which only draw. Scripts, foreign content, animations (which can set attributes) and links are missing. */
const elements = new Set(
  (
    'svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan style switch image ' +
    'linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer feComposite ' +
    'feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR ' +
    'feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence'
  ).split(' '),
)

const ownPart = /^#[^\s()'"]+$/
const rasterImage = /^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/=\s]+$/
const referenceToOwnPart = /url\(\s*(["']?)#[^\s()'"]+\1\s*\)/gi
/** Everything else in CSS that could load something; an escape could spell any of it. */
const loads = /url\(|image-set\(|image\(|src\(|@|\\|expression\(|:\s*\/\/|["']\s*\/\//i

/**
 * Why a file is not an SVG that may be shown, as the rest of a sentence; undefined if it is. It must be well-formed, and neither run nor
 * load anything, wherever it is opened.
 */
export function svgProblem(content: Buffer): string | undefined {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return 'is not encoded in UTF-8'
  }
  const found: string[] = []
  const parser = new SaxesParser({ xmlns: true, position: true })
  const note = (problem: string) => void found.push(`${problem} (line ${parser.line})`)
  let depth = 0
  let style: string | undefined
  parser.on('error', (error) => note(`is no well-formed SVG: ${error.message.replace(/^\d+:\d+: /, '')}`))
  // A browser would read other characters than these, and among them other elements.
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (encoding.toUpperCase() !== 'UTF-8') note(`says that it is encoded in ${encoding}`)
  })
  parser.on('doctype', () => note('has a DOCTYPE'))
  parser.on('processinginstruction', ({ target }) => note(`has <?${target}?>`))
  parser.on('opentag', (tag) => {
    const problem = (depth++ === 0 ? rootProblem(tag) : undefined) ?? tagProblem(tag)
    if (problem) note(problem)
    // Browsers skip it, and read the text around it as one.
    else if (style !== undefined) note(`has <${tag.name}> in <style>`)
    if (tag.local === 'style') style = ''
  })
  const addStyle = (part: string) => void (style !== undefined && (style += part))
  parser.on('text', addStyle)
  parser.on('cdata', addStyle)
  parser.on('closetag', () => {
    depth--
    if (style !== undefined && loadsAnything(style)) note('has a style that could load something')
    style = undefined
  })
  parser.write(text).close()
  return found[0]
}

function rootProblem({ local, uri, attributes }: SaxesTagNS): string | undefined {
  if (local !== 'svg' || uri !== SVG) return 'is no SVG: its first element is not <svg xmlns="http://www.w3.org/2000/svg">'
  return 'viewBox' in attributes ? undefined : 'has no viewBox, so it cannot be scaled'
}

function tagProblem({ name, local, uri, attributes }: SaxesTagNS): string | undefined {
  if (uri !== SVG || !elements.has(local)) return `has <${name}>, which a picture does not need and a browser could run or load`
  for (const attribute of Object.values(attributes)) {
    if (attribute.prefix === 'xmlns' || attribute.name === 'xmlns') continue
    const problem = attributeProblem(attribute, local)
    if (problem) return `has ${attribute.name} in <${name}>, ${problem}`
  }
  return undefined
}

interface Attribute {
  local: string
  uri: string
  value: string
}

function attributeProblem({ local, uri, value }: Attribute, element: string): string | undefined {
  const name = local.toLowerCase()
  if (name.startsWith('on')) return 'which is a script'
  // Browsers ignore blanks and control characters in the scheme of an address.
  if (/(?:java|vb)script:/i.test(value.replaceAll(/[\p{Cc}\s]/gu, ''))) return 'which is a script'
  if (uri === XML && name === 'base') return 'which refers to something outside'
  if (name === 'href' && (uri === '' || uri === XLINK)) {
    return ownPart.test(value) || (element === 'image' && rasterImage.test(value)) ? undefined : 'which refers to something outside'
  }
  return loadsAnything(value) ? 'which could load something' : undefined
}

function loadsAnything(css: string): boolean {
  return loads.test(css.replaceAll(referenceToOwnPart, ''))
}

/** In bytes. */
const MAX_PICTURE_BYTES = 100_000
const HASH_LENGTH = 12

/** A picture that this server serves. */
export interface Picture {
  /** Its path on this server, with a hash of its content, so that the content at a path never changes. */
  path: string
  type: 'image/svg+xml' | 'image/webp'
  content: Buffer
}

/** A plain name, for a file beside the one that names it. */
const fileName = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.(svg|webp)$/

/** Whether a file may be a picture by its name: of letters, digits, `-` and `_`, ending in .svg or .webp. */
function isPictureName(name: string): boolean {
  return fileName.test(name)
}

/** Makes a picture from a file, or returns why it may not be shown, as the rest of a sentence that begins with its name. */
export function readPicture(name: string, content: Buffer): Picture | string {
  const [, base, extension] = fileName.exec(name) ?? []
  if (base === undefined || extension === undefined) return 'is no file name of letters, digits, - and _ that ends in .svg or .webp'
  if (content.length > MAX_PICTURE_BYTES) {
    return `has ${content.length.toLocaleString('en')} bytes; a picture may have ${MAX_PICTURE_BYTES.toLocaleString('en')}`
  }
  const problem = extension === 'svg' ? svgProblem(content) : webpProblem(content)
  if (problem !== undefined) return problem
  const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_LENGTH)
  return { path: `/files/${base}.${hash}.${extension}`, type: extension === 'svg' ? 'image/svg+xml' : 'image/webp', content }
}

/** The container of every WebP file (RFC 9649, section 2.4). */
function webpProblem(content: Buffer): string | undefined {
  const isWebp = content.toString('latin1', 0, 4) === 'RIFF' && /^WEBPVP8[ LX]$/.test(content.toString('latin1', 8, 16))
  return isWebp && content.readUInt32LE(4) === content.length - 8 ? undefined : 'is no WebP picture'
}

/**
 * Reads a picture of a folder by its name there.
 * @returns the picture, or what is wrong with it as the rest of a sentence that begins with its name
 */
export async function readPictureFile(folder: string, name: string): Promise<Picture | string> {
  // An invalid name never becomes a path.
  if (!isPictureName(name)) return readPicture(name, Buffer.alloc(0))
  try {
    return readPicture(name, await readFile(join(folder, name)))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    if (code === undefined) throw error
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
  }
}
