// New breaches are said aloud: a live region for those who do not see the ◆ appear.
import { useEffect, useRef, useState } from 'react';
import { idText } from '../../../app/wire/jsonrpc';
import { useStopgap } from '../../context';

export function Announcer() {
  const { feed } = useStopgap();
  const [says, setSays] = useState('');
  const told = useRef(new Set<number>());
  useEffect(() => {
    const offView = feed.on('view', () => told.current.clear());
    const offVerdicts = feed.on('verdicts', ({ verdicts }) => {
      for (const verdict of verdicts) {
        if (verdict.severity !== 'breach' || told.current.has(verdict.call)) continue;
        told.current.add(verdict.call);
        const call = feed.calls.all[verdict.call];
        setSays(`Breach: ${call?.tool ?? 'call'} ${call ? idText(call.key) : ''}. ${verdict.sentence}`);
      }
    });
    return () => {
      offView();
      offVerdicts();
    };
  }, [feed]);
  return (
    <div className="visually-hidden" role="status" aria-live="assertive">
      {says}
    </div>
  );
}
