import { createTheme, rem } from '@mantine/core';

/** Without a transition, a form cannot be sent again while it disappears. Its <header> would be a second banner of the page. */
const dialog = {
  padding: 'lg',
  transitionProps: { duration: 0 },
  closeOnClickOutside: false,
  styles: { title: { fontSize: 'var(--mantine-font-size-lg)', fontWeight: 650 } },
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
    Anchor: { defaultProps: { inherit: true } },
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Modal: { defaultProps: { ...dialog, size: 520 } },
    Drawer: { defaultProps: { ...dialog, position: 'right', size: 'lg' } },
    // The area of the notifications is the live region.
    Notification: {
      defaultProps: {
        role: 'none',
        color: 'teal',
        withBorder: true,
        closeButtonProps: { 'aria-label': 'Dismiss message' },
      },
    },
    Table: { defaultProps: { fz: 'sm', verticalSpacing: 'sm', horizontalSpacing: 'sm' } },
    // A long status gets a second line where it has no room.
    Badge: {
      defaultProps: { variant: 'dot', radius: 'sm' },
      styles: { root: { height: 'auto', minHeight: 'var(--badge-height)' }, label: { whiteSpace: 'normal' } },
    },
  },
});
