const paths = {
  overview: 'M4 13h6V4H4zM14 20h6V4h-6zM4 20h6v-3H4z',
  organizations: 'M4 21V5l8-2v18M12 9l8 2v10M2 21h20M8 8v.01M8 12v.01M8 16v.01M16 14v.01M16 17.5v.01',
  keys: 'M8 15a4 4 0 1 1 3.5-5.9L21 9v4h-3v3h-4v-3h-2.5A4 4 0 0 1 8 15zM8 11v.01',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7',
  more: 'M12 5v.01M12 12v.01M12 19v.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l5 5L20 7',
  search: 'M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5L21 21',
  plus: 'M12 5v14M5 12h14',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.5v.01',
};

export type IconName = keyof typeof paths;

/** An icon beside a text: hidden from screen readers. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  );
}
