export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  type KafkaRecord,
  type KafkaReport,
  KafkaTrigger,
  type KafkaTriggerOptions,
  kafkaJson,
  kafkaTrigger,
} from './kinds/kafka.js';
