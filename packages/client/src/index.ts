export { type Client, createClient } from './client.js';
export type {
  Accepted,
  Answer,
  AnswerFacts,
  CallArguments,
  CallInput,
  CallOptions,
  Contract,
  ExtraHeaders,
  Operation,
  Operations,
  Rejected,
  ServiceError,
} from './contract.js';
export { ClientError, type ClientErrorCode } from './errors.js';
export { events, type StreamEvent } from './events.js';
export { type NoticeOptions, noticeContract } from './notice-contract.js';
export type { AnswerValidator, ClientOptions, RawInput } from './options.js';
export { openSocket, type Socket, type SocketEnvelope, type SocketOptions, type WebSocketLike } from './socket.js';
export { callTool, type ToolAnswer, type ToolOptions } from './tool.js';
export { type UploadOptions, type UploadTarget, upload } from './upload.js';
