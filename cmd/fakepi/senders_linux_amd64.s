#include "textflag.h"

DATA ·noteSenderAddr(SB)/8, $noteSender<>(SB)
GLOBL ·noteSenderAddr(SB), NOPTR, $8

// Called by the kernel: DI is the signal, SI its siginfo, in which the sender's pid is at 16.
TEXT noteSender<>(SB), NOSPLIT|NOFRAME, $0
	CMPL DI, $64
	JHI  pass
	MOVL 16(SI), AX
	LEAQ ·senders(SB), CX
	MOVL AX, (CX)(DI*4)

pass:
	MOVQ ·passOn(SB), AX
	JMP  AX
