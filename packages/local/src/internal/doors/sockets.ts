/** The open connections of the WebSocket door, as `@connections` of the management API reaches them. */
export interface Sockets {
  /** `false`: there is no such connection (410 Gone). */
  post(connectionId: string, data: Uint8Array): boolean;
  close(connectionId: string): boolean;
  get(connectionId: string): SocketView | undefined;
  list(): readonly SocketView[];
}

export interface SocketView {
  readonly connectionId: string;
  readonly connectedAt: Date;
  readonly lastActiveAt: Date;
  readonly sourceIp: string;
  readonly userAgent: string;
}
