export { parseForm } from '@sallyport/core/internal';
