export { createClient, openSocket } from '@sallyport/client';
