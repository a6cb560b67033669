export { createClient, events } from '@sallyport/client';
