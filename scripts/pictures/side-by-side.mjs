const GAP = 24
const QUALITY = 0.82

/**
 * Puts pictures side by side.
 *
 * @param {import('@playwright/test').Browser} browser
 * @param {{ png: Buffer, width: number, height: number }[]} pictures each in the size in which it is drawn
 * @returns {Promise<Buffer>} WebP
 */
export async function sideBySide(browser, pictures) {
  const page = await browser.newPage()
  const data = await page.evaluate(
    async ({ drawn, gap, quality }) => {
      const canvas = document.createElement('canvas')
      canvas.width = drawn.reduce((sum, { width }) => sum + width, gap * (drawn.length - 1))
      canvas.height = Math.max(...drawn.map(({ height }) => height))
      const context = canvas.getContext('2d')
      if (!context) throw new Error('there is no canvas')
      context.imageSmoothingQuality = 'high'
      let left = 0
      for (const { url, width, height } of drawn) {
        const image = new Image()
        image.src = url
        await image.decode()
        context.drawImage(image, left, 0, width, height)
        left += width + gap
      }
      return canvas.toDataURL('image/webp', quality)
    },
    {
      drawn: pictures.map(({ png, width, height }) => ({ url: `data:image/png;base64,${png.toString('base64')}`, width, height })),
      gap: GAP,
      quality: QUALITY,
    },
  )
  await page.close()
  return Buffer.from(data.slice(data.indexOf(',') + 1), 'base64')
}
