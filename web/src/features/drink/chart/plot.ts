import { type PriceScale } from '../../../ui/chart/price-scale.ts'
import { type Frame } from './frame.ts'

/** Where things are in a chart. Lengths are in pixels from its top left corner. */
export interface Plot {
  frame: Frame
  scale: PriceScale
  /** Of what is drawn; the labels of prices are right of it. */
  width: number
  height: number
  volumeTop: number
  volumeBottom: number
  /** Of a moment in milliseconds. */
  x: (at: number) => number
  /** Of a price. */
  y: (price: number) => number
}

/** A tenth of a pixel is as fine as anybody sees. */
export function tenth(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
