export {
  createErrorTopicPublish,
  type ErrorNotification,
  type ErrorTopicOptions,
} from './observability/error-topic.js';
