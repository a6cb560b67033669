export { createClient } from '@sallyport/client';
