export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type KafkaRecord, type KafkaReport, KafkaTrigger, kafkaJson, kafkaTrigger } from './sources/kafka.js';
