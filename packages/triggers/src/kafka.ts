// Made from kinds/kafka.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  type KafkaRecord,
  type KafkaReport,
  KafkaTrigger,
  type KafkaTriggerOptions,
  kafkaJson,
  kafkaTrigger,
} from './kinds/kafka.js';
