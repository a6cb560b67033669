export { createSender, type Sender } from './send/create-sender.js';
export type { SenderClients, SenderOptions, SenderSchemas } from './send/options.js';
export type { SendFailure, SendReport, Sent } from './send/report.js';
export type { Details, EventOptions, MessageOptions, Messages, NoticeOptions, RecordOptions } from './send/types.js';
