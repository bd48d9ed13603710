import { type ProductRecord } from '../checks/product-record.ts'
import { checkRestrictions, deliveredMeanwhile } from '../checks/restrictions.ts'
import { checkSales } from '../checks/sales.ts'
import { type ApiClient, createApiClient } from '../players/api-client.ts'
import { type Journal } from '../players/journal.ts'
import { type Player } from '../players/player.ts'
import { row } from '../report.ts'
import { type Stack } from '../stack/stack.ts'
import { type FollowedSales, type Game, startGame } from './game.ts'
import { type Operator, type RestrictionPace, startOperator } from './operator.ts'

/** What the studio does while players trade: its game follows all sales, and its operator restricts them if the scenario says so. */
export interface Studio {
  clients: readonly ApiClient[]
  /** Resolves when nothing is restricted any more. */
  stopRestricting(): Promise<void>
  /** Called once, when nothing is sold any more. */
  findings(product: ProductRecord): Promise<{ lines: string[]; violations: string[] }>
}

interface Options {
  seed: number
  journal: Journal
  stack: Stack
  players: readonly Player[]
  restrictions: RestrictionPace | undefined
  say(line: string): void
}

export function startStudio({ seed, journal, stack, players, restrictions, say }: Options): Studio {
  const { studioApiKey: bearer } = stack
  const gameClient = createApiClient({ urls: inTurn(stack.servers.map(({ url }) => url)), localAddress: undefined, bearer })
  const operatorClient = createApiClient({ urls: stack.urls, localAddress: undefined, bearer })
  const clients = [gameClient, operatorClient]
  const game = startGame(seed, gameClient)
  const operator = restrictions && startOperator({ seed, pace: restrictions, api: operatorClient, players, say })
  return {
    clients,
    stopRestricting: async () => operator?.stop(),
    findings: async (product) => {
      const sales = await game.finish()
      const left = (await operator?.violations()) ?? []
      for (const client of clients) client.stop()
      return {
        lines: [...(operator ? [restrictionsRow(operator, product)] : []), salesRow(game, sales)],
        violations: [...left, ...checkRestrictions(operator?.restricted ?? [], product, journal), ...checkSales(sales, product)],
      }
    },
  }
}

/** Another server for each call. */
function inTurn(urls: readonly string[]): () => readonly string[] {
  let turn = 0
  return () => {
    turn += 1
    return urls.slice(turn % urls.length).slice(0, 1)
  }
}

function restrictionsRow({ counts, restricted }: Operator, product: ProductRecord): string {
  const delivered = deliveredMeanwhile(restricted, product)
  return row('restrictions', `${counts.pauses} pauses with ${delivered} deliveries meanwhile, ${counts.blocks} blocks`)
}

function salesRow({ counts }: Game, { kept }: FollowedSales): string {
  const reversals = kept.filter(({ reverses }) => reverses !== null).length
  return row(
    'sales followed',
    `${kept.length}, ${reversals} of them reversals, in ${counts.calls} calls of a game that died ${counts.deaths} times`,
  )
}
