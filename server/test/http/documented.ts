import { Compile, type Validator } from 'typebox/compile'

/** A reply, as much of it as the document speaks of. */
export interface SeenReply {
  status: number
  headers: Headers
  text: string
}

/** What is wrong with a reply, by the API document; nothing if it is documented. */
export type DocumentCheck = (method: string, url: string, reply: SeenReply) => string[]

/** Headers that tell a client something about this reply alone. */
const tellingHeaders = ['retry-after', 'etag', 'last-event-id', 'allow', 'location']

interface DocumentedReply {
  $ref?: string
  headers?: Record<string, unknown>
  content?: Record<string, { schema: object }>
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, DocumentedReply> }>>
  components: { schemas: Record<string, object>; responses: Record<string, DocumentedReply> }
}

/** Checks replies against a server's own document. */
export async function checkAgainstDocument(origin: string): Promise<DocumentCheck> {
  const { paths, components } = (await (await fetch(`${origin}/api/openapi.json`)).json()) as Document
  const routes = Object.entries(paths).map(([path, operations]) => ({
    operations,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  const validators = new Map<DocumentedReply, Validator>()

  const problemsOf = (reply: DocumentedReply, { headers, text }: SeenReply): string[] => {
    const documented = new Set(Object.keys(reply.headers ?? {}).map((name) => name.toLowerCase()))
    const untold = tellingHeaders.filter((name) => headers.has(name) && !documented.has(name)).map((name) => `an undocumented ${name}`)
    const [mediaType] = headers.get('content-type')?.split(';') ?? []
    if (mediaType === undefined) return [...untold, ...(text === '' ? [] : ['content without a type'])]
    const media = reply.content?.[mediaType]
    if (!media) return [...untold, `content of type ${mediaType}`]
    if (mediaType !== 'application/json') return untold
    const validator = validators.get(reply) ?? Compile({ ...media.schema, components })
    validators.set(reply, validator)
    return [...untold, ...validator.Errors(JSON.parse(text)).map(({ instancePath, message }) => `${instancePath} ${message}`)]
  }

  return (method, url, reply) => {
    const [path = ''] = url.split('?')
    const operation = routes.find(({ pattern, operations }) => pattern.test(path) && operations[method.toLowerCase()])?.operations
    const answer = operation?.[method.toLowerCase()]?.responses[reply.status]
    if (!answer) return [`${method} ${path} answers ${reply.status}, which is not documented: ${reply.text}`]
    const [, shared = ''] = answer.$ref?.split('#/components/responses/') ?? []
    const problems = problemsOf(components.responses[shared] ?? answer, reply)
    return problems.map((problem) => `${method} ${path} answers ${reply.status} with ${problem}: ${reply.text}`)
  }
}
