import type { ReactNode } from "react";

function Icon({ children, mirrored = false }: { children: ReactNode; mirrored?: boolean }) {
  return (
    <svg
      className={mirrored ? "icon icon-mirrored" : "icon"}
      viewBox="0 0 24 24"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const CloseIcon = () => (
  <Icon>
    <path d="M6 6l12 12M18 6L6 18" />
  </Icon>
);

export const SendIcon = () => (
  <Icon mirrored>
    <path d="M4.5 12h14M12.5 5.5L19 12l-6.5 6.5" />
  </Icon>
);

export const DownIcon = () => (
  <Icon>
    <path d="M12 5v14M6 13l6 6 6-6" />
  </Icon>
);

export const AlertIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7.5v5M12 16.2v.1" />
  </Icon>
);

/** A lit shop window: the sign of the assistant. */
export const WindowIcon = () => (
  <Icon>
    <path d="M4 9.5V19h16V9.5M3 9.5L5 5h14l2 4.5z" />
    <path className="icon-light" d="M9 19v-5.5h6V19" />
  </Icon>
);
