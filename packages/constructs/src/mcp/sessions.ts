/** The storage of an MCP server's sessions; equal to the server's option `sessions`. */
export class McpSessions {
  /** In the table. A client can query, resume and cancel on any instance. */
  static readonly DURABLE: McpSessions = new McpSessions('durable');
  /** In the session id itself, encrypted with a secret. No table. */
  static readonly SEALED: McpSessions = new McpSessions('sealed');
  /** Nowhere. */
  static readonly NONE: McpSessions = new McpSessions('none');

  /** The value of the server's option. */
  readonly kind: 'durable' | 'sealed' | 'none';

  private constructor(kind: 'durable' | 'sealed' | 'none') {
    this.kind = kind;
  }
}

/**
 * The handling of the challenge for a rejected client. API Gateway and function URLs rename its header `www-authenticate` to
 * `x-amzn-remapped-www-authenticate`; no setting disables that. Clients then look for the documents at the well-known paths.
 */
export class Challenge {
  /** Adds the well-known paths and the warning `Sallyport::McpChallengeRenamed`. */
  static readonly WARN: Challenge = new Challenge('warn');
  /** A `ChallengeEdge` in front of the API restores the header. */
  static readonly EDGE: Challenge = new Challenge('edge');

  /** The name of the value. */
  readonly kind: 'warn' | 'edge';

  private constructor(kind: 'warn' | 'edge') {
    this.kind = kind;
  }
}
