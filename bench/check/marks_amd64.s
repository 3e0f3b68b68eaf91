#include "textflag.h"

// func markVectors(sets *[8]uint64, span *[512]byte) (returns bool)
//
// "<", "=", ">" and "?" are 0x3c to 0x3f: one comparison, without the two lowest bits, finds them all.
TEXT ·markVectors(SB), NOSPLIT, $0-17
	MOVQ         sets+0(FP), DI
	MOVQ         span+8(FP), SI
	MOVL         $0xfcfcfcfc, AX
	MOVL         $0x3c3c3c3c, BX
	MOVL         $0x22222222, CX
	MOVL         $0x0d0d0d0d, DX
	MOVQ         AX, X0
	MOVQ         BX, X1
	MOVQ         CX, X2
	MOVQ         DX, X3
	VPBROADCASTD X0, Y0
	VPBROADCASTD X1, Y1
	VPBROADCASTD X2, Y2
	VPBROADCASTD X3, Y3
	VPXOR        Y4, Y4, Y4              // carriage returns so far
	MOVQ         $8, CX

word:
	VMOVDQU   0(SI), Y5
	VMOVDQU   32(SI), Y6
	VPAND     Y0, Y5, Y7
	VPAND     Y0, Y6, Y8
	VPCMPEQB  Y1, Y7, Y7
	VPCMPEQB  Y1, Y8, Y8
	VPCMPEQB  Y3, Y5, Y9
	VPCMPEQB  Y3, Y6, Y10
	VPCMPEQB  Y2, Y5, Y5
	VPCMPEQB  Y2, Y6, Y6
	VPOR      Y9, Y4, Y4
	VPOR      Y10, Y4, Y4
	VPOR      Y5, Y7, Y7
	VPOR      Y6, Y8, Y8
	VPMOVMSKB Y7, AX
	VPMOVMSKB Y8, BX
	SHLQ      $32, BX
	ORQ       BX, AX
	MOVQ      AX, 0(DI)
	ADDQ      $64, SI
	ADDQ      $8, DI
	DECQ      CX
	JNZ       word

	VPMOVMSKB Y4, AX
	TESTL     AX, AX
	SETNE     returns+16(FP)
	VZEROUPPER
	RET
