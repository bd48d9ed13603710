import { type PriceScale } from '../../../ui/chart/price-scale.ts'
import { type Frame } from './frame.ts'

/** The geometry of a chart, in pixels from its top left corner. */
export interface Plot {
  frame: Frame
  scale: PriceScale
  /** Of the drawing; the price labels are to its right. */
  width: number
  height: number
  volumeTop: number
  volumeBottom: number
  /** For a moment in milliseconds. */
  x: (at: number) => number
  /** Of a price. */
  y: (price: number) => number
}

/** A tenth of a pixel is finer than anyone can see. */
export function tenth(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
