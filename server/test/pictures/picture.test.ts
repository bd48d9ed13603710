import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readPicture, svgProblem } from '../../src/pictures/picture.ts'
import { plainSvg } from '../brand/market-files.ts'

/** As small as a WebP file may be that says how long it is. */
function webp({ length = 12 } = {}): Buffer {
  const content = Buffer.alloc(20)
  content.write('RIFF', 0)
  content.writeUInt32LE(length, 4)
  content.write('WEBPVP8L', 8)
  return content
}

const pathOf = (name: string, content: Buffer) => {
  const picture = readPicture(name, content)
  return typeof picture === 'string' ? picture : picture.path
}

describe('a picture', () => {
  it('is at an address with the hash of its content, which changes with it and with nothing else', () => {
    const content = Buffer.from(plainSvg)
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
    expect(readPicture('cup.svg', content)).toEqual({ path: `/files/cup.${hash}.svg`, type: 'image/svg+xml', content })
    expect(pathOf('cup.svg', Buffer.from(plainSvg))).toBe(`/files/cup.${hash}.svg`)
    expect(pathOf('cup.svg', Buffer.from(`${plainSvg}\n`))).not.toBe(`/files/cup.${hash}.svg`)
  })

  it('may be WebP, if it is that', () => {
    expect(readPicture('cup.webp', webp())).toMatchObject({ type: 'image/webp' })
    expect(readPicture('cup.webp', webp({ length: 11 }))).toBe('is no WebP picture')
    expect(readPicture('cup.webp', Buffer.from(plainSvg))).toBe('is no WebP picture')
    expect(readPicture('cup.svg', webp())).toEqual(expect.any(String))
  })

  it('has at most 100,000 bytes', () => {
    const padded = (bytes: number) => Buffer.from(plainSvg + ' '.repeat(bytes - plainSvg.length))
    expect(readPicture('cup.svg', padded(100_000))).toMatchObject({ type: 'image/svg+xml' })
    expect(readPicture('cup.svg', padded(100_001))).toBe('has 100,001 bytes; a picture may have 100,000')
  })

  it.each(['../cup.svg', 'a/cup.svg', '.svg', '-cup.svg', 'cup.png', 'cup.svg.html', 'cup cup.svg', 'ćup.svg', `${'c'.repeat(65)}.svg`])(
    'is not called %s',
    (name) => {
      expect(readPicture(name, Buffer.from(plainSvg))).toMatch(/^is no file name of letters/)
    },
  )
})

const svg = (inside: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 8 8"${attributes}>${inside}</svg>`
const problemOf = (text: string) => svgProblem(Buffer.from(text))
const pixel = 'data:image/png;base64,iVBORw0KGgo='

describe('an SVG', () => {
  it.each([
    ['shapes', '<circle cx="4" cy="4" r="3" fill="#8ee34a"/>'],
    ['references to its own parts', '<defs><path id="a" d="M0 0"/></defs><use href="#a"/><use xlink:href="#a"/>'],
    ['gradients and styles', '<style>.a { fill: url(#b); stroke: #fff }</style><path class="a" style="fill: url(\'#b\')" d="M0 0"/>'],
    ['a picture of pixels in itself', `<image href="${pixel}"/>`],
    ['words about itself', '<title>javascript and http://market.example</title><desc>@import</desc>'],
  ])('may have %s', (_what, inside) => {
    expect(problemOf(svg(inside))).toBeUndefined()
  })

  it('may say that it is encoded in UTF-8', () => {
    expect(problemOf(`<?xml version="1.0"?>${svg('')}`)).toBeUndefined()
    expect(problemOf(`<?xml version="1.0" encoding="utf-8" standalone="yes"?>${svg('')}`)).toBeUndefined()
  })

  it.each([
    ['<script>alert(1)</script>', 'has <script>'],
    ['<script href="#a"/>', 'has <script>'],
    ['<foreignObject/>', 'has <foreignObject>'],
    ['<a href="#b"/>', 'has <a>'],
    ['<animate attributeName="href" to="javascript:alert(1)"/>', 'has <animate>'],
    ['<set attributeName="onclick" to="alert(1)"/>', 'has <set>'],
    ['<h:circle xmlns:h="http://www.w3.org/1999/xhtml"/>', 'has <h:circle>'],
    ['<circle onclick="alert(1)"/>', 'has onclick in <circle>, which is a script'],
    ['<circle OnLoad="alert(1)"/>', 'has OnLoad in <circle>, which is a script'],
    ['<circle fill="java&#10;script:alert(1)"/>', 'has fill in <circle>, which is a script'],
    ['<circle fill=" JavaScript:alert(1)"/>', 'has fill in <circle>, which is a script'],
    ['<circle fill="vbscript:x"/>', 'has fill in <circle>, which is a script'],
    ['<use href="https://elsewhere.example/x.svg#y"/>', 'has href in <use>, which refers to something outside'],
    ['<use href="//elsewhere.example/x.svg#y"/>', 'has href in <use>, which refers to something outside'],
    ['<use xlink:href="x.svg#y"/>', 'has xlink:href in <use>, which refers to something outside'],
    ['<image href="data:image/svg+xml;base64,PHN2Zy8+"/>', 'has href in <image>, which refers to something outside'],
    [`<use href="${pixel}"/>`, 'has href in <use>, which refers to something outside'],
    ['<g xml:base="https://elsewhere.example/"/>', 'has xml:base in <g>, which refers to something outside'],
    ['<circle fill="url(https://elsewhere.example/x#y)"/>', 'has fill in <circle>, which could load something'],
    ['<circle style="fill: u\\72l(x)"/>', 'has style in <circle>, which could load something'],
    ['<circle style="background: image-set(\'x.png\' 1x)"/>', 'has style in <circle>, which could load something'],
    ['<style>@import "https://elsewhere.example/x.css";</style>', 'has a style that could load something'],
    ['<style><![CDATA[.a { fill: url(x.svg#y) }]]></style>', 'has a style that could load something'],
    ['<style>.a { fill: ur<!-- -->l(x.svg#y) }</style>', 'has a style that could load something'],
    ['<style>.a { fill: ur<g/>l(https://elsewhere.example/x#y) }</style>', 'has <g> in <style>'],
    ['<style><g/>@import "https://elsewhere.example/x.css";</style>', 'has <g> in <style>'],
    ['<?xml-stylesheet href="x.css"?>', 'has <?xml-stylesheet?>'],
    ['<circle>', 'is no well-formed SVG'],
  ])('may not have %s', (inside, problem) => {
    const found = problemOf(svg(inside)) ?? ''
    expect(found.slice(0, problem.length)).toBe(problem)
    expect(found).toMatch(/ \(line 1\)$/)
  })

  it('says in which line', () => {
    expect(problemOf(svg('\n\n<script/>'))).toMatch(/ \(line 3\)$/)
  })

  it.each([
    ['<!DOCTYPE svg [<!ENTITY a "b">]>' + svg(''), 'has a DOCTYPE'],
    // In Shift_JIS the second byte of Á takes the bracket, so the section ends in the comment, and the script is one.
    [
      `<?xml version="1.0" encoding="Shift_JIS"?>${svg('<desc><![CDATA[Á]]><!-- ]]><script>alert(1)</script> --></desc>')}`,
      'says that it is encoded in Shift_JIS',
    ],
    ['<html xmlns="http://www.w3.org/1999/xhtml"/>', 'is no SVG: its first element is not <svg'],
    ['<svg viewBox="0 0 8 8"/>', 'is no SVG: its first element is not <svg'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'has no viewBox'],
    ['', 'is no well-formed SVG'],
    ['GIF89a', 'is no well-formed SVG'],
  ])('is not %s', (text, problem) => {
    expect((problemOf(text) ?? '').slice(0, problem.length)).toBe(problem)
  })

  it('is in UTF-8', () => {
    expect(svgProblem(Buffer.concat([Buffer.from(svg('<title>').slice(0, -6)), Buffer.from([0xff])]))).toBe('is not encoded in UTF-8')
  })
})
