export { createSender } from '@sallyport/streams/send';
