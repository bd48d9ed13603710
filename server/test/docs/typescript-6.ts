/** TypeScript with the JavaScript API that openapi-typescript generates code with; version 7 has none. */
// oxlint-disable-next-line import/no-default-export, oxc/no-barrel-file -- it stands in for the package `typescript`
export { ts as default } from '@ts-morph/common'
