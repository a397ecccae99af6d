#include "textflag.h"

DATA ·noteSenderAddr(SB)/8, $noteSender<>(SB)
GLOBL ·noteSenderAddr(SB), NOPTR, $8

// Called by the kernel: R0 is the signal, R1 its siginfo, in which the sender's pid is at 16.
TEXT noteSender<>(SB), NOSPLIT|NOFRAME, $0
	CMP  $64, R0
	BHI  pass
	MOVWU 16(R1), R3
	MOVD $·senders(SB), R4
	LSL  $2, R0, R5
	ADD  R5, R4
	MOVW R3, (R4)

pass:
	MOVD ·passOn(SB), R6
	JMP  (R6)
