import { Notification } from '@mantine/core';
import { useEffect } from 'react';
import { Store, useStore } from '../api/store';
import { texts } from '../texts';

const noticeStore = new Store<{ readonly text: string } | undefined>(undefined);

/** Confirms a change for 6 seconds, also to screen readers. */
export function showNotice(text: string): void {
  noticeStore.set({ text });
}

const hide = () => noticeStore.set(undefined);

export function NoticeArea() {
  const notice = useStore(noticeStore);
  useEffect(() => {
    const timer = setTimeout(hide, 6_000);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div className="notices" role="status">
      {notice && (
        <Notification withBorder color="teal" onClose={hide} closeButtonProps={{ 'aria-label': texts.actions.close }}>
          {notice.text}
        </Notification>
      )}
    </div>
  );
}
