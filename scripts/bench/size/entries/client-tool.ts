export { callTool, createClient } from '@sallyport/client';
