/** Where an MCP server keeps its sessions; the same as its option `sessions`. */
export class McpSessions {
  /** In the table. A client can ask, resume and cancel on any instance. */
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
 * What is done about the challenge of a rejected client. API Gateway and function URLs rename its header `www-authenticate` to
 * `x-amzn-remapped-www-authenticate`, and no setting turns that off. Clients then look for the documents at the well-known paths.
 */
export class Challenge {
  /** The paths are there, and a warning says so: `Sallyport::McpChallengeRenamed`. */
  static readonly WARN: Challenge = new Challenge('warn');
  /** A `ChallengeEdge` in front of the API restores the header. */
  static readonly EDGE: Challenge = new Challenge('edge');

  /** Which of them it is. */
  readonly kind: 'warn' | 'edge';

  private constructor(kind: 'warn' | 'edge') {
    this.kind = kind;
  }
}
