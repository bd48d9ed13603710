import { houseSettings, servePage } from './market-page.ts'

servePage(houseSettings)
