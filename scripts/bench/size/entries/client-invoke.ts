export { createClient } from '@sallyport/client';
export { throughInvoke } from '@sallyport/client/invoke';
