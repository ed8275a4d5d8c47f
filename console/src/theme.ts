import { type CSSVariablesResolver, createTheme, rem } from '@mantine/core';
import { texts } from './texts';

/** `returnFocus` is off because dialogs are removed at once. Their <header> would be a second banner of the page. */
const dialog = {
  padding: 'lg',
  returnFocus: false,
  closeOnClickOutside: false,
  closeButtonProps: { 'aria-label': texts.close },
  attributes: { header: { role: 'presentation' } },
};

/** One accent color, system fonts, and a dense scale. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: rem(12.5), sm: rem(14), md: rem(15), lg: rem(17), xl: rem(20) },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: rem(24) }, h2: { fontSize: rem(17) }, h3: { fontSize: rem(15) } },
  },
  components: {
    Modal: { defaultProps: { ...dialog, size: 520 } },
    Drawer: { defaultProps: dialog },
    Table: { defaultProps: { fz: 'sm', verticalSpacing: 'sm', horizontalSpacing: 'sm' } },
    Badge: { defaultProps: { variant: 'dot', radius: 'sm' } },
  },
});

/** Darkens the muted colors of Mantine, whose contrast is too low for text (WCAG AA requires 4.5:1). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
