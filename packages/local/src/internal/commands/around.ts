export { type Around, EXIT } from '@sallyport/core/internal';
